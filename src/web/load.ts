/** Loads the page. Without one of its files nothing, or nothing legible, would be shown. */

const RETRY_DELAY_MS = 3_000

/** A style sheet that did not come has no rules, or does not show them. */
const isLoaded = ({ sheet }: HTMLLinkElement): boolean => {
  try {
    return sheet !== null && sheet.cssRules.length > 0
  } catch {
    return false
  }
}

const retry = (): void => {
  document.getElementById('not-loaded')?.removeAttribute('hidden')
  // A browser remembers that a module failed until the document is loaded again.
  setTimeout(() => location.reload(), RETRY_DELAY_MS)
}

if ([...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(isLoaded))
  import('./main.tsx').catch(retry)
else retry()
