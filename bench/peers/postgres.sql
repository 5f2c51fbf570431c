-- The books in PostgreSQL, with what makes them fast left in: the journal has its legs in the row, and
-- clearing and fees are sums over it, so that no row but the wallet's is ever contended. The wallet's
-- balance and the journal's row are written in one transaction; an id that is there already fails the
-- whole of it, and the caller reads what it came to.

CREATE TABLE wallets (
  id int PRIMARY KEY,
  balance bigint NOT NULL CHECK (balance >= 0)
);

CREATE TABLE journal (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  outcome text NOT NULL,
  wallet int NOT NULL,
  balance bigint,
  accounts text[] NOT NULL,
  amounts bigint[] NOT NULL
);

CREATE FUNCTION post(transfer uuid, wallet_id int, amount bigint, fees bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  debit bigint := amount + fees;
  rest bigint;
BEGIN
  UPDATE wallets SET balance = balance - debit
    WHERE id = wallet_id AND balance >= debit
    RETURNING balance INTO rest;
  IF rest IS NULL THEN
    INSERT INTO journal VALUES (transfer, now(), 'declined', wallet_id, NULL, '{}', '{}');
    RETURN 'declined';
  END IF;
  INSERT INTO journal VALUES (
    transfer, now(), 'committed', wallet_id, rest,
    ARRAY[wallet_id::text, 'clearing:ACH', 'fees'], ARRAY[-debit, amount, fees]
  );
  RETURN 'committed';
END
$$;
