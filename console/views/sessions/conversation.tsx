// The messages of a session's window. It begins at the newest one, or at the one that the address names.
import type { Session } from "kioku/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { WhenLoaded } from "../../components/feedback";
import { Time } from "../../components/labels";
import { LongText } from "../../components/long-text";
import { formatQuantity } from "../../state/format";
import { useLoad } from "../../state/load";
import { route } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { linkToKnown } from "../memories/memory-filters";

const PAGE_SIZE = 100;

/** A reader who is this near to the end, in pixels, follows new messages. */
const NEAR_END = 40;

export function Conversation({ session, revision }: { session: Session; revision: number }) {
  const { kioku } = useConnection();
  const { id } = session;
  const { message: named } = route.value.query;
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(named === undefined);
  // The window is small: it fits the conversation's token budget.
  const messages = useLoad(async () => {
    const all = [];
    for await (const message of kioku.session(id).messages.list({ limit: PAGE_SIZE })) all.push(message);
    return all;
  }, [id, revision]);
  const isLoaded = messages.value !== undefined;
  const newest = messages.value?.at(-1)?.id;

  useLayoutEffect(() => {
    box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [isLoaded, named]);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [newest]);

  return (
    <WhenLoaded loaded={messages} what="the conversation">
      {(list) =>
        list.length === 0 ? (
          <p class="soft">The window is empty.</p>
        ) : (
          <>
            {named !== undefined && !list.some((message) => message.id === named) && (
              <p class="note">
                The message is no longer here: the window keeps the newest messages that fit its budget.
              </p>
            )}
            <section
              ref={box}
              class="conversation"
              aria-label="Messages"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
              tabIndex={0}
              onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
                isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
              }}
            >
              <ol class="messages">
                {list.map((message) => (
                  <li
                    key={message.id}
                    class={`message message-${message.role}`}
                    aria-current={message.id === named ? "true" : undefined}
                  >
                    <p class="meta">
                      <strong>{message.name ?? message.role}</strong>
                      <Time at={message.timestamp} isExact />
                      <span>{formatQuantity(message.token_count, "token")}</span>
                      {message.role === "assistant" && (
                        <a href={linkToKnown(message, session)}>What it could know</a>
                      )}
                    </p>
                    <LongText>
                      <p class="message-text">{message.content}</p>
                    </LongText>
                  </li>
                ))}
              </ol>
            </section>
          </>
        )
      }
    </WhenLoaded>
  );
}
