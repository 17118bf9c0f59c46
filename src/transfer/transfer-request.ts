// The parameters of an export, the body and the answer of an import.

import { addExample, ScopeName, UserId, z } from "../kernel/common";

export const TRANSFER_FORMATS = ["jsonl", "trig", "nquads", "turtle", "jsonld"] as const;
export type TransferFormat = (typeof TRANSFER_FORMATS)[number];

const FORMAT_MESSAGE = `must be one of: ${TRANSFER_FORMATS.join(", ")}`;

/** The media type of each format. */
export const TRANSFER_TYPES: Readonly<Record<TransferFormat, string>> = {
  jsonl: "application/x-ndjson",
  trig: "application/trig",
  nquads: "application/n-quads",
  turtle: "text/turtle",
  jsonld: "application/ld+json",
};

export const ExportQuery = z.object({
  scope: ScopeName.optional().openapi({
    default: "tenant",
    description: "Whose records are exported. A key that is bound to an owner exports what is that owner's",
  }),
  id: UserId.optional().openapi({ description: "The id of the session, user, agent or project" }),
  format: z.enum(TRANSFER_FORMATS, { error: FORMAT_MESSAGE }).optional().openapi({
    description: "The format, in place of the `Accept` header",
  }),
});

export type ExportRequest = Pick<z.infer<typeof ExportQuery>, "scope" | "id">;

/** As JSON; the other media types have the text alone. */
export const ImportBody = z
  .object({
    format: z.enum(TRANSFER_FORMATS, { error: FORMAT_MESSAGE }),
    data: z.string().openapi({ description: "The text of an export, or of a part of it" }),
  })
  .strict()
  .openapi("ImportBody");

export const ImportAnswer = z
  .object({
    imported: z
      .record(
        z.string(),
        z.object({
          added: z.number().int(),
          known: z.number().int().openapi({ description: "Records that were there, and stay as they are" }),
          changed: z.number().int().optional().openapi({
            description: "Memories that RDF states otherwise than they were",
          }),
        }),
      )
      .openapi({
        description: "The number of records of each kind",
      }),
    ids: z.record(z.string(), z.string()).optional().openapi({
      description: "Of RDF: the ids of new memories, by the names of their nodes",
    }),
    warnings: z.array(z.string()).optional().openapi({
      description: "Of RDF: references to what is not there, or not yet",
    }),
  })
  .openapi("ImportAnswer");
export type ImportAnswer = z.infer<typeof ImportAnswer>;
addExample(ImportAnswer, { imported: { ledger: { added: 1, known: 0 } } });
