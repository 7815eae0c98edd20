/** What happens to an open page when the service was updated: files that it has not loaded yet are gone. */

const RELOADED = 'berth reloaded'

/** Whether somebody is typing, so that a reload would lose something. */
const isTyping = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input:not([role=combobox]), textarea')].some(
    (field) => !['checkbox', 'radio', 'search'].includes(field.type) && field.value !== field.defaultValue,
  )

/** Whether the service answers at all. A page that is loaded again without it is lost. */
const isThere = (): Promise<boolean> =>
  fetch('/health/live', { credentials: 'omit', cache: 'no-store' }).then(
    () => true,
    () => false,
  )

/**
 * Loads a module that is needed only now. Where the service does not have it, the page is loaded again, once for each
 * version and unless somebody is typing; undefined then, and where it has been tried.
 */
export const loadLater = async <A>(load: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await load()
  } catch {
    // The address of this file has the digest of all files.
    if (sessionStorage.getItem(RELOADED) !== import.meta.url && !isTyping() && (await isThere())) {
      sessionStorage.setItem(RELOADED, import.meta.url)
      location.reload()
    }
    return undefined
  }
}
