/** Imported before the service, and in its threads: its wall clock is ahead of the machine's, as after a downtime. */

const ahead = Number(process.env.CLOCK_AHEAD ?? 0)
const { now } = Date
Date.now = () => now() + ahead
