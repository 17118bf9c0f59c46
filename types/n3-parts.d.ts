// The single files of n3 have no types of their own; they are those of the package.
declare module "n3/src/N3DataFactory.js" {
  import { DataFactory } from "n3";
  export default DataFactory;
}
declare module "n3/src/N3Writer.js" {
  import { Writer } from "n3";
  export default Writer;
}
declare module "n3/src/N3Parser.js" {
  import { Parser } from "n3";
  export default Parser;
}
