/** The first of `count` places at which something holds; `count` if it holds at none. It must hold at all later places. */
export const bisect = (count: number, holds: (place: number) => boolean): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
