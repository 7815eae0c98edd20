import { useEffect, useLayoutEffect } from 'preact/hooks'
import { usePage } from './context.ts'
import { fromParameters, linkTo, placeOf, toParameters } from './location.ts'

/** Keeps what a screen is filtered by in its address too, and takes it from a link. `none` filters nothing. */
export const useFilterInAddress = <F extends object>(
  screen: string,
  none: F,
  filter: F,
  onFilter: (filter: F) => void,
): void => {
  const { parameters } = usePage().place.value
  useLayoutEffect(() => {
    if (parameters.size > 0) onFilter(fromParameters(none, parameters))
  }, [parameters])
  useEffect(() => {
    const here = placeOf(location.hash)
    const link = linkTo(screen, here.id, toParameters(filter))
    const isSame = link === linkTo(screen, here.id, Object.fromEntries(here.parameters))
    if (here.screen === screen && !isSame) history.replaceState(history.state, '', link)
  }, [filter, parameters])
}
