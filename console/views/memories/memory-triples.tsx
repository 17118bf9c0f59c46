// The triples of a memory, read when they are opened.

import { useState } from "preact/hooks";
import { WhenLoaded } from "../../components/feedback";
import { LongText } from "../../components/long-text";
import { ScrollRegion } from "../../components/scroll-region";
import { useLoad } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function MemoryTriples({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>Triples</h2>
      </summary>
      {isOpen && <TripleTable id={id} />}
    </details>
  );
}

function TripleTable({ id }: { id: string }) {
  const { kioku } = useConnection();
  const triples = useLoad((signal) => kioku.memories.triples(id, { signal }), [id]);
  return (
    <WhenLoaded loaded={triples} what="the triples">
      {({ data }) => {
        // Triples about the memory itself, which is the rule, need no column for their subject.
        const [subject, ...others] = new Set(data.map((triple) => triple.subject));
        const isOne = others.length === 0;
        return (
          <>
            {isOne && subject !== undefined && (
              <p class="soft">
                All are about <code>{toLocalName(subject)}</code>.
              </p>
            )}
            <ScrollRegion label="Triples">
              <table>
                <thead>
                  <tr>
                    {!isOne && <th scope="col">Subject</th>}
                    <th scope="col">Predicate</th>
                    <th scope="col">Object</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map(({ subject, predicate, object }) => (
                    <tr key={`${subject} ${predicate} ${object}`}>
                      {!isOne && (
                        <td>
                          <code>{toLocalName(subject)}</code>
                        </td>
                      )}
                      <td>
                        <code>{toLocalName(predicate)}</code>
                      </td>
                      <td>
                        <LongText>{toLocalName(object)}</LongText>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollRegion>
          </>
        );
      }}
    </WhenLoaded>
  );
}

/** Shortens an IRI to its local name. */
function toLocalName(term: string): string {
  return /^<?https?:\/\/[^#]*#([^>]+)>?$/.exec(term)?.[1] ?? term;
}
