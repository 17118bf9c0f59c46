// What an example of an operation is made of.
import type { Json } from "../../../platform/json";

export type Example = {
  /** Only of parameters that must be given: the reference puts these into its forms. */
  query?: Record<string, string>;
  body?: Json;
  /** The body in another form than JSON. */
  bodyText?: string;
  answer?: Json;
  /** The 200 of what otherwise answers 201. */
  again?: Json;
  /** The answer in another form than JSON. */
  answerText?: string;
};

/** By method and path, as in `POST /v1/remember`. */
export type Examples = Readonly<Record<string, Example>>;
