import {expect} from 'chai'
import {type FailureCode, SvcError} from '../../../src/core/errors.js'

/** The SvcError that `work` fails with, its code checked. */
export async function failure(code: FailureCode, work: Promise<unknown> | (() => unknown)): Promise<SvcError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    expect(error.code).to.equal(code)
    return error
  }
  throw new Error(`Nothing failed; ${code} was expected.`)
}
