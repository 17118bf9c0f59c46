// Tests that use the console in a real browser, against the running service: the tests of a file share a browser, and a
// tenant with a month of data.
import { afterAll, beforeAll, describe } from "vitest";
import { Kioku } from "../../../client/index";
import { launchBrowser } from "../../../scripts/lib/launch-browser";
import { sharedServer } from "../../conformance/support/http-service";
import type { Service } from "../../conformance/support/open-service";
import { type ConsoleOptions, type OpenedConsole, openConsole } from "./console-page";
import { loadMonth, type Month } from "./month";

type Options = Partial<ConsoleOptions>;

/** The tenant with the data, which is there when the tests run. */
type LoadedTenant = {
  url: string;
  /** It may do everything in the tenant. */
  key: string;
  kioku: Kioku;
  month: Month;
};

type ConsoleUnderTest = LoadedTenant & {
  service: Service;
  open(options?: Options): Promise<OpenedConsole>;
  /** Opens the console, does something with it, and checks that nothing went wrong meanwhile. */
  within(work: (opened: OpenedConsole) => Promise<void>, options?: Options): Promise<void>;
};

/** Describes the console. Without a browser the tests are skipped, and their title has the reason. */
export async function describeConsole(
  title: string,
  define: (tested: ConsoleUnderTest) => void,
): Promise<void> {
  const browser = await launchBrowser();
  const isMissing = typeof browser === "string";
  describe.skipIf(isMissing)(isMissing ? `${title}, skipped: ${browser}` : title, () => {
    const service = sharedServer();
    let loaded: LoadedTenant | undefined;
    const getLoaded = () => {
      if (loaded === undefined) throw new Error("The data is there when the tests run");
      return loaded;
    };
    const open = (options: Options = {}) => {
      if (isMissing) throw new Error(browser);
      const { url, key } = getLoaded();
      return openConsole(browser, { url, key, ...options });
    };

    beforeAll(async () => {
      const tenant = await service.tenant({ scopes: ["read", "write", "admin"] });
      const [url, key] = [tenant.url(""), tenant.key ?? ""];
      const kioku = new Kioku({ url, key });
      loaded = { url, key, kioku, month: await loadMonth(kioku) };
    });
    afterAll(async () => {
      if (!isMissing) await browser.close();
    });

    define({
      service,
      open,
      async within(work, options) {
        const opened = await open(options);
        await work(opened);
        await opened.close();
      },
      get url() {
        return getLoaded().url;
      },
      get key() {
        return getLoaded().key;
      },
      get kioku() {
        return getLoaded().kioku;
      },
      get month() {
        return getLoaded().month;
      },
    });
  });
}
