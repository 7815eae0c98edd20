import { pageHeaders } from '../protocol/page-headers.ts'

/** What people see at an address where nothing is. It is the same for every request. */

export const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · Berth</title>
<link rel="icon" href="data:,">
<main>
<h1>Nothing exists at this address</h1>
<p><a href="/">Back to Berth</a>, or read <a href="/guide">the guide</a>.</p>
</main>
</html>
`

/** Not stored, because a program gets another response at the same address. */
export const NOT_FOUND_HEADERS = {
  ...pageHeaders(),
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
}
