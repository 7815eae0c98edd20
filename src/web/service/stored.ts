/** What a browser keeps of a page under a name, as JSON; undefined where that is nothing, or no JSON. */
export const readStored = <A>(name: string): A | undefined => {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export const store = (name: string, value: unknown): void => localStorage.setItem(name, JSON.stringify(value))
