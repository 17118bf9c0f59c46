// The alarm of a Durable Object. The object stores when work is due, the platform stores when it wakes the object: two
// records that can differ after a crash. The platform's alarm is read once after the object is loaded and once in every
// alarm(); in between it is tracked in memory.

type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

export class ObjectAlarm {
  readonly #storage: AlarmStorage;
  readonly #now: () => number;
  /** The time of the platform's alarm, null when none is set; undefined while unknown. */
  #time: number | null | undefined;
  #isRead = false;

  constructor(storage: AlarmStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Whether the platform's alarm has been read since the object was loaded. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * Reads the platform's alarm. alarm() calls this first: there getAlarm() gives null, and an alarm that is not set
   * again is gone. An overdue alarm counts as unknown and is set again, because getAlarm() reads the object's storage,
   * and the platform's timer may have lost it. Alarms are delivered at least once, so handlers tolerate an extra one.
   */
  async read(): Promise<void> {
    const time = await this.#storage.getAlarm();
    this.#time = time !== null && time <= this.#now() ? undefined : time;
    this.#isRead = true;
  }

  /**
   * Sets the alarm, or deletes it when nothing is due. Calls the storage before the first await, so that the platform
   * writes the alarm and the due time that was stored in the same turn atomically.
   */
  async set(due: number | null): Promise<void> {
    if (due === this.#time) return;
    this.#time = due;
    await (due === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(due));
  }

  /** Sets the alarm unless an earlier one is set. Returns the time of the alarm. */
  async setNoLater(due: number): Promise<number> {
    if (typeof this.#time === "number" && this.#time <= due) return this.#time;
    await this.set(due);
    return due;
  }

  /** Records that the alarm was deleted with the object's storage. */
  markDeleted(): void {
    this.#time = null;
  }
}
