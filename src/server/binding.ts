import type {Config} from '../core/config/schema.js'
import {SvcError} from '../core/errors.js'
import {isLoopback} from './client-address.js'

/** What examples and forms put where a token belongs, letters and digits only. */
const PLACEHOLDERS = new Set(
  `123456 admin bearertoken changeit changeme changethis dashboardtoken default example exampletoken fixme insertyourtokenhere
  none null password placeholder pleasechangeme replaceme replacethis secret test todo token tokenhere undefined yoursecret
  yoursecrethere yourtoken yourtokenhere yourdashboardtoken yourdashboardtokenhere`.split(/\s+/),
)

/**
 * Refuses to start where the server would be open to others: its gateway routes have no login.
 *
 * @throws SvcError `bad-config` with the remedy
 */
export function checkBinding({gateway, dashboard}: Pick<Config, 'gateway' | 'dashboard'>): void {
  if (dashboard.token) checkToken(dashboard.token)
  if (gateway.host === 'localhost' || isLoopback(gateway.host.replace(/^\[|\]$/g, ''))) return
  if (!gateway.allowRemote) {
    throw unusable(
      ['gateway', 'host'],
      `gateway.host ${gateway.host} is reachable from other machines, and gateway routes have no login.`,
      {
        hint: 'Set gateway.host to 127.0.0.1, or gateway.allowRemote to true together with a dashboard.token.',
      },
    )
  }
  if (!dashboard.token) {
    throw unusable(
      ['dashboard', 'token'],
      `gateway.host ${gateway.host} is reachable from other machines, and there is no dashboard token.`,
      {
        hint: 'Set dashboard.token to a random text of 32 bytes, or gateway.host to 127.0.0.1.',
      },
    )
  }
}

function checkToken(token: string): void {
  const letters = token.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (PLACEHOLDERS.has(letters) || /^x+$/.test(letters)) {
    throw unusable(['dashboard', 'token'], 'dashboard.token is a placeholder.', {
      hint: 'Put a random text of 32 bytes there, for example the output of: openssl rand -base64 32',
    })
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw unusable(['dashboard', 'token'], 'dashboard.token has characters that no Authorization header can carry.', {
      hint: 'Use visible ASCII characters without spaces.',
    })
  }
}

function unusable(path: string[], message: string, {hint}: {hint: string}): SvcError {
  return new SvcError('bad-config', message, {hint, issues: [{path, message}]})
}
