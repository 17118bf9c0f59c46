// Creates the client's methods from the operations of the API. A method takes the ids of its path, then one input
// object as the API defines it, then the options of the call.
import { invalidInput } from "./errors";
import { List } from "./list";
import type { Operations } from "./schema.generated";
import type { CallOptions, Outgoing, Transport } from "./transport";

export type Operation = keyof Operations;
export type Input<O extends Operation> = Operations[O]["input"];
export type Answer<O extends Operation> = Operations[O]["answer"];

/** Operations without query and body. */
type Bare = { [O in Operation]: Input<O> extends undefined ? O : never }[Operation];
type Paged = {
  [O in Operation]: Answer<O> extends { data: unknown[]; next_cursor: string | null } ? O : never;
}[Operation];
type Item<O extends Operation> = Answer<O> extends { data: (infer T)[] } ? T : never;

/** Names of the ids in paths, as parameters of the methods. */
type Labels = {
  id: [id: string];
  key: [key: string];
  name: [name: string];
  slug: [slug: string];
  task_id: [task_id: string];
  agent_id: [agent_id: string];
};
/** The ids of a path that are not bound yet. */
type Ids<Path extends string, Given> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [...(Name extends Given ? [] : Name extends keyof Labels ? Labels[Name] : [string]), ...Ids<Rest, Given>]
  : [];
type Filter<I> = Omit<I, "cursor">;
/** An object whose fields are all optional is optional itself. */
type OneObject<I> = [I] extends [object] ? (object extends I ? [input?: I] : [input: I]) : [input: I];

export type Call<O extends Operation, Given = never> = (
  ...args: [...Ids<O, Given>, ...OneObject<Input<O>>, options?: CallOptions]
) => Promise<Answer<O>>;
export type BareCall<O extends Bare, Given = never, A = Answer<O>> = (
  ...args: [...Ids<O, Given>, options?: CallOptions]
) => Promise<A>;
export type ListCall<O extends Paged, Given = never> = (
  ...args: [...Ids<O, Given>, ...OneObject<Filter<Input<O>>>, options?: CallOptions]
) => List<Item<O>>;

export type Query = Record<string, unknown>;

/** Default page size while iterating over a list: the service's maximum. */
const PAGE_SIZE = 100;

/** Returns functions that create methods, with the ids in `given` already bound. */
export function createMethods<Given extends string = never>(
  transport: Transport,
  given: Record<Given, string>,
) {
  const parse = (operation: string, args: readonly unknown[]) => {
    const [method = "", template = ""] = operation.split(" ");
    const rest = [...args];
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeSegment(name, Object.hasOwn(given, name) ? given[name as Given] : rest.shift()),
    );
    return { method, path, rest };
  };
  const ask = (operation: string, args: readonly unknown[], accept?: string) => {
    const { method, path, rest } = parse(operation, args);
    const [options] = rest as [CallOptions?];
    return transport.send({ method, path, accept }, options);
  };

  return {
    call<O extends Exclude<Operation, Bare>>(operation: O): Call<O, Given> {
      return async (...args) => {
        const { method, path, rest } = parse(operation, args);
        const [input, options] = rest as [unknown, CallOptions?];
        // The type of the response comes from the schema.
        return transport.send(toRequest(method, path, input), options) as Promise<Answer<O>>;
      };
    },

    bare<O extends Bare>(operation: O): BareCall<O, Given> {
      return async (...args) => ask(operation, args) as Promise<Answer<O>>;
    },

    /** Creates a method that returns the response as text of the given media type. */
    text<O extends Bare>(operation: O, accept: string): BareCall<O, Given, string> {
      return async (...args) => ask(operation, args, accept) as Promise<string>;
    },

    list<O extends Paged>(operation: O): ListCall<O, Given> {
      return (...args) =>
        new List(async (position) => {
          const { method, path, rest } = parse(operation, args);
          const [filter, options] = rest as [Query?, CallOptions?];
          const input = { limit: PAGE_SIZE, ...filter, ...omitUndefined(position) };
          const page = transport.send(toRequest(method, path, input), options);
          return page as Promise<{ data: Item<O>[]; next_cursor: string | null }>;
        });
    },
  };
}

/** Puts the input into the query or the body, depending on the method. */
function toRequest(method: string, path: string, input: unknown): Outgoing {
  if (method === "GET" || method === "DELETE")
    return { method, path: path + formatQuery((input ?? {}) as Query) };
  return { method, path, ...(input !== undefined && { body: input }) };
}

/** Encodes a path parameter. An empty value or dots would address another path. */
export function encodeSegment(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw invalidInput(name, "is required, as a string");
  if (value === "." || value === "..")
    throw invalidInput(name, "cannot be . or .. in a path: choose another");
  return encodeURIComponent(value);
}

export function formatQuery(query: Query): string {
  const pairs = Object.entries(omitUndefined(query)).map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function omitUndefined(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
