// The addresses that webhooks may have: every spelling of a private one is refused.
import { describe, expect, it } from "vitest";
import { checkWebhookAddress } from "../../../src/trust/webhooks/manage-webhooks";

describe("the address of a webhook", () => {
  it.each([
    "https://example.com/hook",
    "https://hooks.example.co.uk/a?b=c",
    "https://8.8.8.8/hook",
    "https://[2606:4700::1111]/hook",
    "https://172.32.0.1/",
    "https://100.128.0.1/",
  ])("may be %s", (url) => {
    expect(checkWebhookAddress(url, false)).toBeNull();
  });

  it.each([
    ["example.com/hook", /URL/],
    ["http://example.com/hook", /https/],
    ["ftp://example.com/hook", /https/],
    ["https://user:secret@example.com/", /password/],
    ["https://example.com:8443/", /port/],
    ["https://localhost/", /public/],
    ["https://localhost./", /public/],
    ["https://api.localhost/", /public/],
    ["https://printer.local/", /public/],
    ["https://metadata.google.internal/", /public/],
    ["https://intranet/", /public/],
    ["https://127.0.0.1/", /public/],
    ["https://127.1/", /public/],
    ["https://2130706433/", /public/],
    ["https://0x7f000001/", /public/],
    ["https://0177.0.0.1/", /public/],
    ["https://127.0.0.1./", /public/],
    ["https://0.0.0.0/", /public/],
    ["https://10.1.2.3/", /public/],
    ["https://172.31.255.255/", /public/],
    ["https://192.168.0.1/", /public/],
    ["https://169.254.169.254/latest/meta-data", /public/],
    ["https://100.64.0.1/", /public/],
    ["https://224.0.0.1/", /public/],
    ["https://255.255.255.255/", /public/],
    ["https://[::1]/", /public/],
    ["https://[::]/", /public/],
    ["https://[::ffff:10.0.0.1]/", /public/],
    ["https://[::ffff:a00:1]/", /public/],
    ["https://[64:ff9b::a00:1]/", /public/],
    ["https://[2002:a00:1::]/", /public/],
    ["https://[2001::1]/", /public/],
    ["https://[2001:db8::1]/", /public/],
    ["https://[fc00::1]/", /public/],
    ["https://[fd12:3456::1]/", /public/],
    ["https://[fe80::1]/", /public/],
    ["https://[ff02::1]/", /public/],
    ["https://１２７.０.０.１/", /public/],
  ])("may not be %s", (url, reason) => {
    expect(checkWebhookAddress(url, false)).toMatch(reason);
  });

  it("may be local where a person allows it, without a password", () => {
    expect(checkWebhookAddress("http://127.0.0.1:9000/hook", true)).toBeNull();
    expect(checkWebhookAddress("http://user:secret@127.0.0.1/", true)).toMatch(/password/);
    expect(checkWebhookAddress("file:///etc/passwd", true)).toMatch(/https/);
  });
});
