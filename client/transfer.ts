// Export as a stream, and import of its text.
import { type Answer, formatQuery, type Input } from "./call";
import type { CallOptions, Transport } from "./transport";

type Format = NonNullable<Input<"GET /v1/export">["format"]>;

const MEDIA_TYPES: Record<Format, string> = {
  jsonl: "application/x-ndjson",
  trig: "application/trig",
  nquads: "application/n-quads",
  turtle: "text/turtle",
  jsonld: "application/ld+json",
};

/** Returns a method that streams an export. One that ends without its end line is not complete. */
export function createExport(transport: Transport) {
  return async (
    query: Input<"GET /v1/export"> = {},
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>> => {
    const accept = MEDIA_TYPES[query.format ?? "jsonl"];
    const { body } = await transport.open(
      { method: "GET", path: `/v1/export${formatQuery(query)}`, accept },
      options,
    );
    return body ?? new ReadableStream({ start: (controller) => controller.close() });
  };
}

/** Returns a method that imports an export of at most 2 MB, or a part of one. */
export function createImport(transport: Transport) {
  return async (data: string, format: Format = "jsonl", options?: CallOptions) => {
    const request = { method: "POST", path: "/v1/import", body: data, content_type: MEDIA_TYPES[format] };
    // The type of the response comes from the schema.
    return (await transport.send(request, options)) as Answer<"POST /v1/import">;
  };
}
