import {expect} from 'chai'
import {escapeControls} from '../../../src/core/config/escape.js'
import {redact, redactor} from '../../../src/core/config/redact.js'

describe('redact', () => {
  for (const [text, expected] of [
    ['key sk-proj-abcdefghijklmnop1234 used', 'key [REDACTED] used'],
    [
      'https://api.telegram.org/bot123456789:AAF-abcdefghijklmnopqrstuvwxyz12345/getMe',
      'https://api.telegram.org/bot[REDACTED]/getMe',
    ],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [REDACTED]'],
    ['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic [REDACTED]"}'],
    ['curl -H "x-api-key: 0123456789"', 'curl -H "x-api-key: [REDACTED]"'],
    ['bearer 0123456789abcdef', 'bearer [REDACTED]'],
    ['postgres://svc:pa55word@db.local/svc', 'postgres://svc:[REDACTED]@db.local/svc'],
    ['GET /v1/models?key=abc123&alt=sse', 'GET /v1/models?key=[REDACTED]&alt=sse'],
    [`ghp_${'a1'.repeat(18)} and xoxb-123456789012-abc`, '[REDACTED] and [REDACTED]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----', '[REDACTED]-----END RSA PRIVATE KEY-----'],
  ] as const) {
    it(`takes the secret out of ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(redact(text)).to.equal(expected)
    })
  }

  it('leaves ordinary text alone', () => {
    for (const text of [
      'The bearer of this letter, a risk-averse task-manager-in-chief-of-staff',
      'token: string, maxTokens: 4096, at 12:30:45 on 2026-11-21',
      'https://example.org:8080/a?page=2&monkey=1 and mailto:ada@example.org',
      'authorization: none',
      'desk-organisation-and-more-words',
    ]) {
      expect(redact(text)).to.equal(text)
    }
  })

  it('knows the values it is given, also inside JSON and addresses', () => {
    const clean = redactor(['pass "w/ord', 'ordinary-but-secret', 'a+b (c)', ''])
    expect(clean('x ordinary-but-secretx')).to.equal('x [REDACTED]x')
    expect(clean(JSON.stringify({a: 'pass "w/ord'}))).to.equal('{"a":"[REDACTED]"}')
    expect(clean(`?q=${encodeURIComponent('pass "w/ord')}`)).to.equal('?q=[REDACTED]')
    expect(clean('a+b (c)')).to.equal('[REDACTED]')
  })

  it('takes the longer of two values that begin alike', () => {
    expect(redactor(['abcdefgh', 'abcdefgh-ijkl'])('abcdefgh-ijkl')).to.equal('[REDACTED]')
  })

  it('takes short values out only where they stand alone', () => {
    const clean = redactor(['cat', 'blue'])
    expect(clean('cat blue bluebird "blue"')).to.equal('cat [REDACTED] bluebird "[REDACTED]"')
  })

  // An expression that tries again and again would take minutes here, and the test would time out.
  it('gets through long texts that nearly match', () => {
    const clean = redactor(Array.from({length: 50}, (_, n) => `secret-value-${n}`))
    for (const piece of [
      'sk-',
      'Bearer ',
      '://',
      '://a:',
      'eyJ',
      '1',
      'authorization:',
      'x-api-key="',
      '-----BEGIN PRIVATE KEY-----',
      ' ',
    ]) {
      expect(clean(piece.repeat(200_000)).length).to.be.above(0)
    }
  })
})

describe('escapeControls', () => {
  it('shows line ends, escape sequences and what turns or hides text', () => {
    expect(escapeControls('a\r\nb\tc\u001b[31m\u009b\u202e\u2066\u200b\u2028\ufeff\u007f\0')).to.equal(
      'a\\r\\nb\\tc\\u001b[31m\\u009b\\u202e\\u2066\\u200b\\u2028\\ufeff\\u007f\\u0000',
    )
  })

  it('keeps languages and emoji as they are', () => {
    const text = 'Grüße, 你好, שלום, می‌خواهم 👩‍💻'
    expect(escapeControls(text)).to.equal(text)
  })
})
