import { type ReadonlySignal, signal } from '@preact/signals'

/** Where one is: `/#/machines/<id>`. The part behind `?` holds what a screen keeps in the address. */
export interface Place {
  readonly screen: string
  readonly id: string | undefined
  readonly parameters: ReadonlyMap<string, string>
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const placeOf = (fragment: string): Place => {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2)
  const [screen = '', id] = path.split('/')
  return {
    screen: screen === '' ? 'schedule' : screen,
    id: id === undefined || id === '' ? undefined : decode(id),
    parameters: new Map(new URLSearchParams(query)),
  }
}

export const linkTo = (screen: string, id?: string, parameters: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(parameters).toString()
  return `/#/${screen}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query === '' ? '' : `?${query}`}`
}

/** What one filters by, as it stands in an address. Commas part the members of a set. */
export const toParameters = (filter: object): Readonly<Record<string, string>> => {
  const textOf = (value: unknown): string =>
    value instanceof Set ? [...value].map((each) => each.replace(/[%,]/g, encodeURIComponent)).join() : `${value || ''}`
  const all = Object.entries(filter).map(([name, value]) => [name, textOf(value)] as const)
  return Object.fromEntries(all.filter(([, text]) => text !== ''))
}

/** What an address says of a filter that has the members of `none`. */
export const fromParameters = <F extends object>(none: F, parameters: Place['parameters']): F => {
  const partOf = (text: string, value: unknown): unknown => {
    if (value instanceof Set) return new Set(text === '' ? [] : text.split(',').map(decode))
    return typeof value === 'boolean' ? text === 'true' : text
  }
  const all = Object.entries(none).map(([name, value]) => [name, partOf(parameters.get(name) ?? '', value)])
  return Object.fromEntries(all) as F
}

export const goTo = (...to: Parameters<typeof linkTo>): void => location.assign(linkTo(...to))

export const openPlace = (): ReadonlySignal<Place> => {
  const place = signal(placeOf(location.hash))
  addEventListener('hashchange', () => {
    place.value = placeOf(location.hash)
  })
  return place
}
