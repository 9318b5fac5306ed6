/** The provider's address answered 200 with a web page: it is not the API. */
export class WebPageReply extends Error {
  override readonly name = 'WebPageReply'
}

/**
 * `fetch` for model calls. It follows no redirect, which could carry the key to another host, and it looks at replies that
 * a reader of event streams would silently take for empty: web pages, and a JSON error under status 200.
 */
export const providerFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, {...init, redirect: 'error'})
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || type.includes('event-stream')) return response
  if (type.includes('html')) {
    await response.body?.cancel()
    throw new WebPageReply()
  }
  if (!type.includes('json')) return response

  const body = await response.text()
  const status = /^\s*\{\s*"(error|type"\s*:\s*"error)"/.test(body) ? 500 : response.status
  return new Response(body, {status, headers: response.headers})
}
