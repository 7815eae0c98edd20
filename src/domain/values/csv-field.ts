const NEEDS_QUOTES = /[",\r\n]/

/** A field quoted according to RFC 4180. */
export const quoteField = (field: string): string =>
  NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field

/**
 * First characters that spreadsheets take for a formula or skip before one (OWASP, "CSV Injection"), full-width forms
 * included.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** A field as `spreadsheetField` had it, and as the page writes it. */
export const withoutApostrophe = (field: string): string => {
  const rest = field.replace(/^'+/, '')
  return rest !== field && FORMULA.test(rest) ? field.slice(1) : field
}

/** A field for a spreadsheet: an apostrophe makes each of them read it as text. */
export const spreadsheetField = (field: string): string => quoteField(FORMULA.test(field) ? `'${field}` : field)
