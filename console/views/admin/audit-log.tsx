// What was done by which key, and what was refused.

import { LoadMore, WhenLoaded } from "../../components/feedback";
import { StatusLabel } from "../../components/labels";
import { ScrollRegion } from "../../components/scroll-region";
import { formatTime } from "../../state/format";
import { usePages } from "../../state/load";
import { useConnection } from "../../state/sign-in";

export function AuditLog() {
  const { kioku } = useConnection();
  const pages = usePages(() => kioku.audit(), []);
  return (
    <WhenLoaded loaded={pages} what="the audit log">
      {(records) =>
        records.length === 0 ? (
          <p class="soft">
            Nothing was recorded yet: keys, erasures, policy changes and refused calls appear here.
          </p>
        ) : (
          <>
            <ScrollRegion label="Audit log" isTall>
              <table>
                <thead>
                  <tr>
                    <th scope="col">Time</th>
                    <th scope="col">Action</th>
                    <th scope="col">Outcome</th>
                    <th scope="col">Target</th>
                    <th scope="col">Key</th>
                    <th scope="col" class="number">
                      Count
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {records.map(({ at, action, outcome, target, key_id, count, request_id }) => (
                    <tr key={`${request_id} ${action} ${at}`}>
                      <td class="nowrap">{formatTime(at)}</td>
                      <td>
                        <code>{action}</code>
                      </td>
                      <td>
                        <StatusLabel status={outcome} />
                      </td>
                      <td>{target}</td>
                      <td>{key_id.slice(0, 12)}</td>
                      <td class="number">{count}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollRegion>
            <LoadMore {...pages} />
          </>
        )
      }
    </WhenLoaded>
  );
}
