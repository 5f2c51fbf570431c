-- The books in PostgreSQL, in the way that is fastest there: the journal has its legs in the row, and
-- clearing and fees are sums over it, so that no row but the wallet's is ever contended, and that one
-- is locked last. The journal's row and the wallet's balance are written in one transaction; an id that
-- is there already fails the whole of it, and the caller would read what it came to.

CREATE TABLE wallets (
  id int PRIMARY KEY,
  balance bigint NOT NULL CHECK (balance >= 0)
);

CREATE TABLE journal (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  outcome text NOT NULL,
  wallet int NOT NULL,
  accounts text[] NOT NULL,
  amounts bigint[] NOT NULL
);

CREATE FUNCTION post(transfer uuid, wallet_id int, amount bigint, fees bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  debit bigint := amount + fees;
BEGIN
  INSERT INTO journal VALUES (
    transfer, now(), 'committed', wallet_id,
    ARRAY[wallet_id::text, 'clearing:ACH', 'fees'], ARRAY[-debit, amount, fees]
  );
  UPDATE wallets SET balance = balance - debit WHERE id = wallet_id AND balance >= debit;
  IF FOUND THEN
    RETURN 'committed';
  END IF;
  UPDATE journal SET outcome = 'declined', accounts = '{}', amounts = '{}' WHERE id = transfer;
  RETURN 'declined';
END
$$;
