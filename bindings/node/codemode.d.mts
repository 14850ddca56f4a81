export * from "./codemode.cjs";
