// An agent in one file: a prompt, a loop, and a model that learns from nothing but what it reads.
//
// The model here is a script, so that this runs without one: it has an answer for each thing that it may read, and makes the mistakes
// that models make. Each of its corrections is triggered by a sentence of the observation before it, and by nothing else.

import { z } from "zod";
import { SESExecutor, observation, parseCode, tool } from "hotcell";

/** The next answer, after everything that was said. */
type Model = (said: string[]) => Promise<string>;

/** The loop: ask the model, run its code, tell it what came of that; until there is an answer. */
async function solve<T>(task: string, model: Model, executor: SESExecutor, steps: number): Promise<T> {
  const said = [`${executor.renderPrompt()}\n\nTask: ${task}`];
  for (let number = 1; number <= steps; number++) {
    const answer = await model(said);
    console.log(`── step ${number}\n${answer}`);
    let read: string;
    try {
      const step = await executor.execute<T>(parseCode(answer).code);
      if (step.is_final_answer) return step.output;
      read = observation(step, { maxTokens: 1000 });
    } catch (error) {
      // No code in the answer: the words teach the format.
      read = (error as Error).message;
    }
    console.log(`${read}\n`);
    said.push(answer, read);
  }
  throw new Error("the model did not get to an answer");
}

/** What the model has read, and what it says then. */
const script: Array<[RegExp, string]> = [
  [/declare function weather\(/, "I would ask the weather service."],
  // Prose: it learns the format.
  [/<code>/, "Thought: I ask for all of them.\n<code>\nconst all = await Promise.all(cities.map((city) => getWeather({ city })));\n</code>"],
  // A wrong name.
  [/did you mean `weather`\?/, "<code>\nconst all = await Promise.all(cities.map((town) => weather({ town })));\n</code>"],
  // Wrong arguments.
  [/"city" is a required property.*call it as weather\(\{ city \}\)/, "<code>\nconst first = weather({ city: cities[0] });\nfirst.degrees + 1\n</code>"],
  // A forgotten await.
  [/`first` is a promise, because `weather` was not awaited/, "<code>\nconst all = await Promise.all(cities.map((city) => weather({ city })));\nall.sort((a, b) => b.degrees - a.degrees);\ncities.push('Graz');\n</code>"],
  // An input that is frozen.
  [/structuredClone\(value\)/, "<code>\nconst warmest = all.toSorted((a, b) => b.degrees - a.degrees)[0;\n</code>"],
  // A syntax error.
  [/expected `\]` but found `;`|expected `,` or `\]` but found `;`/, "<code>\nconst warmest = all[0];\nconst news = await fetch('https://example.com/' + warmest.city);\n</code>"],
  // Something that is not there.
  [/there is no network: use a tool/, "<code>\nfinal_answer({ city: warmest.city, degrees: warmest.degrees });\n</code>"],
];

const model: Model = async (said) => {
  const [expected, answer] = script.shift() ?? [/./, ""];
  const read = said.at(-1) ?? "";
  if (!expected.test(read)) throw new Error(`a model that reads this would not know about ${expected}:\n${read}`);
  return answer;
};

const degrees: Record<string, number> = { Oslo: -3, Porto: 17, Graz: 9 };
const executor = new SESExecutor({ timeoutMs: 2000 });
await executor.init();
await executor.sendVariables({ cities: ["Oslo", "Porto"] });
await executor.sendTools({
  weather: tool(async ({ city }: { city: string }) => ({ city, degrees: degrees[city] }), {
    description: "Tells the weather of a city",
    parameters: z.object({ city: z.string() }),
    returns: z.object({ city: z.string(), degrees: z.number() }),
  }),
});
const answer = await solve<{ city: string; degrees: number }>("Which city is the warmest?", model, executor, 10);
console.log(`── the answer: ${answer.city}, ${answer.degrees} degrees`);
if (answer.city !== "Porto") throw new Error("a wrong answer");
await executor.cleanup();
