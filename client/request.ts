// Any call by its method and path: typed where the contract knows it, open where it does not.
import { type Answer, type Input, type Operation, type Query, search, segment } from "./call";
import type { CallOptions, Transport } from "./transport";

type Key<M extends string, P extends string> = Extract<`${M} ${P}`, Operation>;
type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown;

export type RequestOptions = CallOptions & {
  /** For the names in braces in the path. */
  params?: Record<string, string> | undefined;
  query?: Query | undefined;
  /** Sent as JSON; with `content_type` as the text that it is. */
  body?: unknown;
  content_type?: string | undefined;
  /** Another type than JSON: the answer is then its text. */
  accept?: string | undefined;
};

type Payload<M, I> = I extends undefined
  ? unknown
  : M extends "GET" | "DELETE"
    ? object extends I
      ? { query?: I }
      : { query: I }
    : object extends I
      ? { body?: I }
      : { body: I };
type KnownOptions<M extends string, P extends string, A> = CallOptions & {
  accept?: A | undefined;
} & (P extends `${string}{${string}` ? { params: ParamsOf<P> } : unknown) &
  Payload<M, Input<Key<M, P>>>;

/** Options may be left out where nothing in them is required. */
type Args<O> = object extends O ? [options?: O] : [options: O];

export type RequestCall = <M extends string, P extends string, A extends string = "application/json">(
  method: M,
  path: P,
  ...args: [Key<M, P>] extends [never] ? [options?: RequestOptions] : Args<KnownOptions<M, P, A>>
) => Promise<
  [Key<M, P>] extends [never] ? unknown : A extends "application/json" ? Answer<Key<M, P>> : string
>;

export function requestOver(transport: Transport): RequestCall {
  const request = async (method: string, path: string, options: RequestOptions = {}) => {
    const { params = {}, query = {}, body, content_type, accept, ...rest } = options;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]));
    return transport.send({ method, path: filled + search(query), body, content_type, accept }, rest);
  };
  // What the answer is follows from the schema, which is not there any more when this runs.
  return request as RequestCall;
}
