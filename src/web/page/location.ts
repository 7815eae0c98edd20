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

/** The address of a place, also from the guide. */
export const linkTo = (screen: string, id?: string, parameters: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(parameters).toString()
  return `/#/${screen}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query === '' ? '' : `?${query}`}`
}

/** Goes to a place of this page. */
export const goTo = (...to: Parameters<typeof linkTo>): void => location.assign(linkTo(...to))

/** The current place, which follows the address. */
export const openPlace = (): ReadonlySignal<Place> => {
  const place = signal(placeOf(location.hash))
  addEventListener('hashchange', () => {
    place.value = placeOf(location.hash)
  })
  return place
}
