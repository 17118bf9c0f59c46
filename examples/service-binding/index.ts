// A Worker that remembers for its users. It calls Kioku through a service binding: no public address, no network hop.
import { isKiokuError, Kioku, type KiokuBinding } from "kioku/client";

type Env = {
  /** The service binding in wrangler.jsonc. */
  KIOKU: KiokuBinding;
  /** A secret of this Worker. */
  KIOKU_API_KEY: string;
};

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    // A real Worker takes the user from its own authentication, never from the request.
    const user_id = searchParams.get("user");
    if (pathname !== "/notes" || user_id === null)
      return Response.json({ error: "Use GET or POST /notes?user=<id>" }, { status: 404 });

    const kioku = Kioku.fromBinding(env.KIOKU, { key: env.KIOKU_API_KEY });
    try {
      if (request.method === "POST") {
        const { memory_id } = await kioku.remember({ user_id, content: await request.text() });
        return Response.json({ memory_id }, { status: 201 });
      }
      const { memories } = await kioku.recall({ user_id, query: searchParams.get("q") ?? "" });
      return Response.json({ notes: memories.map(({ content }) => content) });
    } catch (error) {
      if (!isKiokuError(error)) throw error;
      // The user's mistake or a failure of the memory: never the key or a stack.
      const isTheirs = error.code === "invalid_request";
      return Response.json({ error: error.detail }, { status: isTheirs ? 400 : 502 });
    }
  },
};
