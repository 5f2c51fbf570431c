/** The prefix by which a process of a plant marks its name in the driver's first message. */
export const MARK = "payrail-node:";
