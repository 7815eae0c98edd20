import { useEffect, useRef } from 'preact/hooks'

/** Tells whether a component is still shown: an answer may come when one has gone on to something else. */
export const useIsMounted = (): (() => boolean) => {
  const isMounted = useRef(true)
  useEffect(
    () => () => {
      isMounted.current = false
    },
    [],
  )
  return () => isMounted.current
}
