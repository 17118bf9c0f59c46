// How a method of the client is made from a line of the service's own contract: its path's ids come first, then one
// object as the API has it, then options of the call.
import { invalidInput } from "./errors";
import { List } from "./list";
import type { Operations } from "./schema.generated";
import type { CallOptions, Outgoing, Transport } from "./transport";

export type Operation = keyof Operations;
export type Input<O extends Operation> = Operations[O]["input"];
export type Answer<O extends Operation> = Operations[O]["answer"];

/** Operations that take nothing but what stands in their path. */
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
/** The ids of a path that are not given already. */
type Ids<Path extends string, Given> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [...(Name extends Given ? [] : Name extends keyof Labels ? Labels[Name] : [string]), ...Ids<Rest, Given>]
  : [];
type Filter<I> = Omit<I, "cursor">;
/** An object whose fields may all be left out may be left out itself. */
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

/** What iterating over a list asks for at a time, unless told: the most there is. */
const PAGE = 100;

/** Makers of methods, with some of the ids in their paths given already. */
export function methodsOf<Given extends string = never>(transport: Transport, given: Record<Given, string>) {
  const parse = (operation: string, args: readonly unknown[]) => {
    const [method = "", template = ""] = operation.split(" ");
    const rest = [...args];
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      segment(name, Object.hasOwn(given, name) ? given[name as Given] : rest.shift()),
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
        // The schema says what comes back.
        return transport.send(requestOf(method, path, input), options) as Promise<Answer<O>>;
      };
    },

    bare<O extends Bare>(operation: O): BareCall<O, Given> {
      return async (...args) => ask(operation, args) as Promise<Answer<O>>;
    },

    /** The answer as text of that type. */
    text<O extends Bare>(operation: O, accept: string): BareCall<O, Given, string> {
      return async (...args) => ask(operation, args, accept) as Promise<string>;
    },

    list<O extends Paged>(operation: O): ListCall<O, Given> {
      return (...args) =>
        new List(async (place) => {
          const { path, rest } = parse(operation, args);
          const [filter, options] = rest as [Query?, CallOptions?];
          const query = { limit: PAGE, ...filter, ...defined(place) };
          const page = transport.send({ method: "GET", path: path + search(query) }, options);
          return page as Promise<{ data: Item<O>[]; next_cursor: string | null }>;
        });
    },
  };
}

/** What was given goes into the query or the body, as the method has it. */
function requestOf(method: string, path: string, input: unknown): Outgoing {
  if (method === "GET" || method === "DELETE") return { method, path: path + search((input ?? {}) as Query) };
  return { method, path, ...(input !== undefined && { body: input }) };
}

/** A path's parameter. An empty one, or dots, would be the path of something else. */
export function segment(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw invalidInput(name, "is required, as a string");
  if (value === "." || value === "..")
    throw invalidInput(name, "cannot be . or .. in a path: choose another");
  return encodeURIComponent(value);
}

export function search(query: Query): string {
  const pairs = Object.entries(defined(query)).map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function defined(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
