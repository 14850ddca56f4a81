export * from "./mastra.cjs";
