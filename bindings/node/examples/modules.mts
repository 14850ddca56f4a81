// Modules, files and a context for tools: what a host gives to code beside functions by name.

import { Files, SESExecutor, tool, type ToolContext } from "hotcell";

interface Session {
  user: string;
}

const files = new Files({ memory: true });
await files.writeText("orders.csv", "item,count\ntea,3\nmilk,4\n");

const executor = new SESExecutor({
  authorizedImports: ["shop", "sums"],
  modules: {
    // Functions and values of the host's.
    shop: {
      price: tool(
        async ({ item }: { item: string }, { context, signal }: ToolContext<Session>) => {
          signal.throwIfAborted();
          return context.user === "ada" ? 1 : item.length;
        },
        { context: true, parameters: { type: "object", properties: { item: { type: "string" } }, required: ["item"] } },
      ),
      currency: "EUR",
    },
    // A source, whose types are stripped.
    sums: "export const total = (numbers: number[]): number => numbers.reduce((sum, n) => sum + n, 0);",
  },
});
await executor.init();
await executor.sendTools(files.tools());

const { output } = await executor.run<string>(
  `
  import { price, currency } from "shop";
  import { total } from "sums";

  const sums: number[] = [];
  for await (const line of readLines("orders.csv")) {
    const [item, count] = line.split(",");
    if (item !== "item") sums.push(Number(count) * await price({ item }));
  }
  await writeText("bill.txt", \`\${total(sums)} \${currency}\`);
  await readText("bill.txt")
  `,
  { context: { user: "ada" } satisfies Session },
);
console.log(output, await files.list());
if (output !== "7 EUR") throw new Error(`a wrong bill: ${output}`);

// A fork has files of its own.
const fork = await executor.fork();
await fork.run("await writeText('bill.txt', 'nothing')");
console.log(await files.readText("bill.txt"), "and", await fork.files?.readText("bill.txt"));
await fork.cleanup();
await executor.cleanup();
