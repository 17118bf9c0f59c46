// The datatype of plain literals, which result formats leave out.
export const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";
