// Sends any request by method and path: typed if the API defines it, untyped otherwise.
import { type Answer, encodeSegment, formatQuery, type Input, type Operation, type Query } from "./call";
import type { CallOptions, Transport } from "./transport";

type Key<M extends string, P extends string> = Extract<`${M} ${P}`, Operation>;
type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown;

export type RequestOptions = CallOptions & {
  /** Values of the names in braces in the path. */
  params?: Record<string, string> | undefined;
  query?: Query | undefined;
  /** Sent as JSON, or with `content_type` as plain text. */
  body?: unknown;
  content_type?: string | undefined;
  /** A media type other than JSON; the response is then returned as text. */
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
} & (P extends `${string}{${string}` ? { params: PathParams<P> } : unknown) &
  Payload<M, Input<Key<M, P>>>;

/** Options are optional if all of their fields are. */
type Args<O> = object extends O ? [options?: O] : [options: O];

export type RequestCall = <M extends string, P extends string, A extends string = "application/json">(
  method: M,
  path: P,
  ...args: [Key<M, P>] extends [never] ? [options?: RequestOptions] : Args<KnownOptions<M, P, A>>
) => Promise<
  [Key<M, P>] extends [never] ? unknown : A extends "application/json" ? Answer<Key<M, P>> : string
>;

export function createRequest(transport: Transport): RequestCall {
  const request = async (method: string, path: string, options: RequestOptions = {}) => {
    const { params = {}, query = {}, body, content_type, accept, ...rest } = options;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, params[name]));
    return transport.send({ method, path: filled + formatQuery(query), body, content_type, accept }, rest);
  };
  // The schema types the response; it does not exist at run time.
  return request as RequestCall;
}
