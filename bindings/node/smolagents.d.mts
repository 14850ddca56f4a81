export * from "./smolagents.cjs";
