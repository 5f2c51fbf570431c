-- A bare-bones payout service in PostgreSQL: wallets, a journal with its legs in the row, payouts,
-- the outbox and the rail's book. Every request is one function, and the wallet's row is locked last,
-- because withdrawals of one wallet wait for each other only from there to the commit.

CREATE TABLE wallets (
  id int PRIMARY KEY,
  balance bigint NOT NULL CHECK (balance >= 0)
) WITH (fillfactor = 10);

CREATE TABLE accounts (
  id int PRIMARY KEY,
  wallet int NOT NULL
);

CREATE TABLE journal (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  wallet int NOT NULL,
  accounts text[] NOT NULL,
  amounts bigint[] NOT NULL
);

CREATE TABLE payouts (
  id uuid PRIMARY KEY,
  account int NOT NULL,
  wallet int NOT NULL,
  amount bigint NOT NULL,
  fees bigint NOT NULL,
  reason text NOT NULL,
  state text NOT NULL,
  created_at timestamptz NOT NULL,
  due timestamptz
) WITH (fillfactor = 60);
CREATE INDEX ON payouts (wallet, id);
-- The workers' queues. Closed payouts are in none.
CREATE INDEX ON payouts (state, due) WHERE due IS NOT NULL;

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payout uuid NOT NULL,
  seq int NOT NULL,
  at timestamptz NOT NULL,
  body text NOT NULL,
  relayed_at timestamptz
) WITH (fillfactor = 60);
CREATE INDEX ON outbox (id) WHERE relayed_at IS NULL;

CREATE TABLE rail (
  id uuid PRIMARY KEY,
  amount bigint NOT NULL,
  accepted_at timestamptz NOT NULL,
  told_at timestamptz
) WITH (fillfactor = 60);

-- As long as payrail's event of a payout.
CREATE FUNCTION event_of(id uuid, wallet int, amount bigint, fees bigint, state text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT format('{"eventType":"WITHDRAWAL","status":"%s","payload":{"description":"Payment on its way:'
    ' bank account ending in 6789","method":"BANK_TRANSFER_ACH","transactionId":"%s","walletId":"%s",'
    '"entityId":"019d0000-0000-7000-8000-000000000000","entityType":"USER","summary":"Payout",'
    '"entry":"DEBIT","amount":%s,"currency":"USD","timestamp":1700000000000,"feeCharged":"%s",'
    '"reason":""}}', state, id, wallet, amount, fees)
$$;

CREATE FUNCTION withdraw(payout uuid, account_id int, amount bigint, fees bigint, reason text)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  debit bigint := amount + fees;
  wallet_id int;
BEGIN
  SELECT wallet INTO STRICT wallet_id FROM accounts WHERE id = account_id;
  INSERT INTO journal VALUES (
    payout, now(), wallet_id,
    ARRAY[wallet_id::text, 'clearing:ACH', 'fees'], ARRAY[-debit, amount, fees]
  );
  INSERT INTO payouts VALUES (
    payout, account_id, wallet_id, amount, fees, reason, 'PENDING', now(), now()
  );
  INSERT INTO outbox (payout, seq, at, body) VALUES (
    payout, 1, now(), event_of(payout, wallet_id, amount, fees, 'PENDING')
  );
  UPDATE wallets SET balance = balance - debit WHERE id = wallet_id AND balance >= debit;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Not enough balance in wallet';
  END IF;
  RETURN true;
END
$$;
