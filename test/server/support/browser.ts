import {type Browser, chromium} from 'playwright-core'

export const chromiumPath = '/usr/bin/chromium'

/** A browser that resolves `evil.test` to this machine, as an attacker's name server would. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP evil.test 127.0.0.1',
      // Chromium's own wall around this machine would hide whether ours stands.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
    ],
  })
}
