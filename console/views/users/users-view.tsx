// The people whom memories concern.

import { CodeBlock } from "../../components/code-block";
import { EmptyState, LoadMore, WhenLoaded } from "../../components/feedback";
import { IdLink, Time } from "../../components/labels";
import { OpenById } from "../../components/open-by-id";
import { ScrollRegion } from "../../components/scroll-region";
import { formatCount } from "../../state/format";
import { usePages } from "../../state/load";
import { toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";

export function UsersView() {
  const { kioku } = useConnection();
  const pages = usePages(() => kioku.users.list(), []);
  return (
    <>
      <h1>Users</h1>
      <WhenLoaded loaded={pages} what="users">
        {(users) =>
          users.length === 0 ? (
            <NoUsers />
          ) : (
            <>
              <OpenById view="users" what="user" />
              <ScrollRegion label="Users">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">User</th>
                      <th scope="col" class="number">
                        Memories
                      </th>
                      <th scope="col" class="number">
                        Sessions
                      </th>
                      <th scope="col" class="number">
                        Messages
                      </th>
                      <th scope="col">First seen</th>
                      <th scope="col">Last seen</th>
                    </tr>
                  </thead>
                  <tbody>
                    {users.map(({ id, counts, first_seen, last_seen }) => (
                      <tr key={id}>
                        <th scope="row">
                          <IdLink id={id} href={toHref(["users", id])} />
                        </th>
                        <td class="number">{formatCount(counts.memories)}</td>
                        <td class="number">{formatCount(counts.sessions)}</td>
                        <td class="number">{formatCount(counts.messages)}</td>
                        <td>
                          <Time at={first_seen} />
                        </td>
                        <td>
                          <Time at={last_seen} />
                        </td>
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
    </>
  );
}

function NoUsers() {
  const { key } = useConnection();
  const call = `curl -sS ${location.origin}/v1/remember \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"user_id":"alex","content":"I am allergic to peanuts","source_type":"user"}'`;
  return (
    <EmptyState title="Nothing concerns a person yet">
      <p>
        A user exists as soon as a call has a <code>user_id</code>:
      </p>
      <CodeBlock code={call} label="Remember something about a user" />
    </EmptyState>
  );
}
