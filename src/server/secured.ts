/**
 * Headers of every reply that is not the web page. Nothing here may be cached, sniffed, framed or run, and no header of the
 * CORS family is ever sent: other origins have no business here.
 */
export function secured(contentType: string, contentLength?: number): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  }
  if (contentLength !== undefined) headers['content-length'] = contentLength
  return headers
}
