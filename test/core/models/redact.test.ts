import {expect} from 'chai'
import {redact} from '../../../src/core/models/redact.js'
import {secretKey} from './support.js'

describe('Redaction', () => {
  it('hides the key, pieces of it and what providers print of it', () => {
    expect(redact(`Bad key ${secretKey}!`, [secretKey])).to.equal('Bad key [REDACTED]!')
    expect(redact(`It begins with ${secretKey.slice(0, 9)} and ends with ${secretKey.slice(-7)}.`, [secretKey])).to.equal(
      'It begins with [REDACTED] and ends with [REDACTED].',
    )
    expect(redact('Incorrect API key provided: sk-aa****bbbb. You can', [])).to.equal(
      'Incorrect API key provided: [REDACTED]. You can',
    )
  })

  it('hides short keys only as a whole', () => {
    expect(redact('the key abc is not abcde', ['abc'])).to.equal('the key [REDACTED] is not [REDACTED]de')
  })

  it('leaves other words alone', () => {
    expect(redact('The model gpt-5 does not exist.', [secretKey])).to.equal('The model gpt-5 does not exist.')
  })

  it('removes control characters and cuts', () => {
    expect(redact('a\u001b[31mb\r\nc\u202ed', [])).to.equal('a [31mb c d')
    expect(redact('x'.repeat(900), [])).to.have.length(300)
  })
})
