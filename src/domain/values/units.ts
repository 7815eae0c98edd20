/** Numbers by their unit, for readers: the compiler takes them for the same. */
export type Seconds = number
export type Milliseconds = number
export type UnixSeconds = number
export type UnixMilliseconds = number
/** The wall clock. */
export type Clock = () => UnixMilliseconds
/** The time since the machine started, including suspension (CLOCK_BOOTTIME). */
export type SinceBoot = () => Milliseconds
