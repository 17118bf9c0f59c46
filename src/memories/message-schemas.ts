// Messages of a session's conversation.

import {
  AnyJson,
  addExample,
  boundedJson,
  boundedText,
  countUtf8Bytes,
  Id,
  IsoTime,
  isCleanText,
  Metadata,
  Time,
  z,
} from "../kernel/common";
import { LIMITS, TOKEN_BUDGET } from "../kernel/limits";

export const ROLES = ["user", "assistant", "system", "tool"] as const;

export const Role = z.enum(ROLES, { error: `must be one of: ${ROLES.join(", ")}` });
export type Role = z.infer<typeof Role>;

export const MessageInput = z
  .object({
    id: Id.optional(),
    role: Role,
    name: boundedText(1, 128).optional(),
    content: z.string().superRefine((value, ctx) => {
      if (!isCleanText(value))
        ctx.addIssue({
          code: "custom",
          message: "must not contain NUL or lone surrogates: remove them and send again",
        });
      const bytes = countUtf8Bytes(value);
      if (bytes > LIMITS.messageBytes)
        ctx.addIssue({
          code: "custom",
          message: `must be at most ${LIMITS.messageBytes} bytes, is ${bytes}: split it`,
        });
    }),
    timestamp: Time.optional(),
    token_count: z.number().int().min(0).max(TOKEN_BUDGET.max).optional(),
    tool_calls: z.array(boundedJson(LIMITS.metadataBytes)).max(128).optional(),
    tool_call_id: boundedText(1, 256)
      .optional()
      .openapi({ description: "For a tool message: the id of the tool call it answers" }),
    metadata: Metadata.optional(),
  })
  .strict()
  .openapi("MessageInput");
export type MessageInput = z.infer<typeof MessageInput>;

export const MessagesCreate = z
  .object({ messages: z.array(MessageInput).min(1).max(LIMITS.messagesPerCall) })
  .strict()
  .openapi("MessagesCreate");

export const Message = z
  .object({
    id: z.string(),
    role: Role,
    name: z.string().nullable(),
    content: z.string(),
    timestamp: IsoTime,
    token_count: z.number(),
    tool_calls: z.array(AnyJson).nullable(),
    tool_call_id: z.string().nullable(),
    metadata: z.record(z.string(), AnyJson),
  })
  .openapi("Message");
export type Message = z.infer<typeof Message>;

export const MessagesAdded = z
  .object({
    added: z.number(),
    duplicates: z.number(),
    evicted: z.number(),
    tokens: z.object({ used: z.number(), max: z.number() }),
  })
  .openapi("MessagesAdded");
export type MessagesAdded = z.infer<typeof MessagesAdded>;
addExample(MessagesAdded, { added: 2, duplicates: 0, evicted: 0, tokens: { used: 31, max: 10000 } });

// As tools, with descriptions written for models.

export const AddMessagesInput = MessagesCreate.extend({
  messages: MessagesCreate.shape.messages.meta({
    description: "The messages, oldest first. A message whose id already exists is not added again",
  }),
});
