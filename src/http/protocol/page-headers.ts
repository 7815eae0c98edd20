/**
 * The headers of a page: nothing from other origins, nothing inline, no eval, no framing. Icons, and images of styles
 * and of noVNC, are data URLs.
 *
 * @param formAction what forms may be sent to
 * @param more further directives of the policy
 */
export const pageHeaders = (formAction: "'none'" | "'self'" = "'none'", ...more: readonly string[]) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...more,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
})

/** A picture opened by itself has its own styles and nothing else. */
export const PICTURE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
}
