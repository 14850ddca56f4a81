export * from "./index.cjs";
import hotcell from "./index.cjs";
export default hotcell;
