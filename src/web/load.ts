/** Loads the page, in browsers that have what it needs. Without one of its files nothing legible would be shown. */

const RETRY_DELAY_MS = 3_000

const say = (text: string): void => {
  const place = document.getElementById('not-loaded') as HTMLElement
  place.textContent = text
  place.hidden = false
}

/** A style sheet that did not come has no rules, or does not show them. */
const isLoaded = ({ sheet }: HTMLLinkElement): boolean => {
  try {
    return sheet !== null && sheet.cssRules.length > 0
  } catch {
    return false
  }
}

/** Where pages may store nothing, they may not even ask. */
const mayStore = (): boolean => {
  try {
    return [localStorage, sessionStorage].length > 0
  } catch {
    return false
  }
}

const isNewEnough = (): boolean =>
  'Segmenter' in Intl && 'popover' in HTMLElement.prototype && CSS.supports('color', 'light-dark(red, red)')

const retry = (): void => {
  say('Berth could not be loaded. Retrying every few seconds.')
  // A browser remembers that a module failed until the document is loaded again.
  setTimeout(() => location.reload(), RETRY_DELAY_MS)
}

/** A file that does not come is an error of the element; a module that throws is one of the window. */
const load = (): void => {
  const fail = (): void => say('Berth cannot run in this browser. Details are in its console.')
  const script = document.createElement('script')
  script.type = 'module'
  script.src = import.meta.resolve('./main.js')
  script.addEventListener('error', retry)
  script.addEventListener('load', () => removeEventListener('error', fail))
  addEventListener('error', fail)
  document.head.append(script)
}

if (!isNewEnough()) say('Berth needs a newer browser: Chrome or Edge 123, Firefox 125, Safari 17.5, or later.')
else if (!mayStore()) say('Berth needs to store data in this browser. Allow that for this site, and reload.')
else if ([...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(isLoaded)) load()
else retry()
