/** What the pages of the guide look like, and what they may load. */

/** No scripts, and styles and pictures of this origin only. The empty icon is in the page itself. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
}

/** A picture opened by itself has its own styles and nothing else. */
export const PICTURE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
}

export const STYLE = `:root { color-scheme: light dark; --line: light-dark(#d8dee4, #30363d); --box: light-dark(#f6f8fa, #161b22) }
body { margin: 0 auto; max-width: 76rem; padding: 0 1.5rem 4rem; font: 1rem/1.6 system-ui, sans-serif;
  background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3) }
main { min-width: 0; max-width: 52rem }
nav { padding: 1.5rem 0; font-size: 0.9rem }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1rem }
nav [aria-current] { font-weight: bold; color: inherit }
a { color: light-dark(#0757ba, #58a6ff); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
h1, h2, h3 { line-height: 1.25; margin: 2em 0 0.6em }
h1 { margin-top: 1.2rem }
h1 a, h2 a, h3 a { color: inherit }
code, pre { font: 0.875em/1.5 ui-monospace, Menlo, Consolas, monospace; background: var(--box); border-radius: 0.3rem }
code { padding: 0.1em 0.3em; overflow-wrap: break-word }
pre { padding: 0.9rem 1rem; overflow-x: auto; border: 1px solid var(--line) }
pre code { padding: 0; font-size: inherit }
table { display: block; overflow-x: auto; border-collapse: collapse }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.7rem; text-align: start; vertical-align: top }
th { background: var(--box) }
img { max-width: 100%; height: auto }
@media (min-width: 60rem) {
  body:has(> nav) { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2.5rem }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; box-sizing: border-box }
  nav ul { display: block }
}
@media print { nav { display: none } }
`
