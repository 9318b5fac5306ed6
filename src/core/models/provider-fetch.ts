/** The provider's address answered 200 with a web page: it is not the API. */
export class WebPageReply extends Error {
  override readonly name = 'WebPageReply'
}

/** A JSON body under status 200 where a stream was asked for: an error, or a server that does not stream. */
export class JsonReply extends Error {
  override readonly name = 'JsonReply'
  readonly responseBody: string

  constructor(responseBody: string) {
    super('It answered with one piece of JSON instead of a stream.')
    this.responseBody = responseBody
  }
}

/**
 * `fetch` for model calls. It follows no redirect, which could carry the key to another host, and refuses replies that a
 * reader of event streams would silently take for empty ones.
 */
export const providerFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, {...init, redirect: 'error'})
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || !/html|json/.test(type)) return response
  if (type.includes('html')) {
    await response.body?.cancel()
    throw new WebPageReply()
  }
  const body = await response.text()
  // Some servers call their event stream JSON.
  if (/^\s*(data|event|id)?:/.test(body)) return new Response(body, {headers: response.headers})
  throw new JsonReply(body)
}
