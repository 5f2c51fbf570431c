// Reads ISO 20022 files with moov-io/iso20022, and prints what they say as JSON, a line for each
// file. Its arguments are a folder and the number of its files, which are 0.xml, 1.xml and so on.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"github.com/moov-io/iso20022/pkg/camt_v08"
	"github.com/moov-io/iso20022/pkg/document"
	"github.com/moov-io/iso20022/pkg/pain_v10"
	"github.com/moov-io/iso20022/pkg/pain_v11"
)

type payment struct {
	Id       string  `json:"id"`
	Status   string  `json:"status,omitempty"`
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency,omitempty"`
	Name     string  `json:"name,omitempty"`
	Account  string  `json:"account,omitempty"`
}

type message struct {
	Id       string    `json:"id"`
	Count    string    `json:"count"`
	Sum      float64   `json:"sum"`
	Payments []payment `json:"payments"`
}

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	for i := range count {
		path := filepath.Join(os.Args[1], fmt.Sprintf("%d.xml", i))
		said, err := read(path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		if err := out.Encode(said); err != nil {
			log.Fatal(err)
		}
	}
}

func read(path string) (*message, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parsed, err := document.ParseIso20022Document(bytes)
	if err != nil {
		return nil, err
	}
	switch content := parsed.InspectMessage().(type) {
	case *pain_v10.CustomerCreditTransferInitiationV10:
		return readPayments(content), nil
	case *pain_v11.CustomerPaymentStatusReportV11:
		return readStatuses(content), nil
	case *camt_v08.BankToCustomerDebitCreditNotificationV08:
		return readEntries(content), nil
	}
	return nil, fmt.Errorf("another message: %s", parsed.NameSpace())
}

func readPayments(content *pain_v10.CustomerCreditTransferInitiationV10) *message {
	header := content.GrpHdr
	said := &message{Id: string(header.MsgId), Count: string(header.NbOfTxs), Sum: header.CtrlSum}
	for _, block := range content.PmtInf {
		for _, transfer := range block.CdtTrfTxInf {
			each := payment{
				Id:       string(transfer.PmtId.EndToEndId),
				Amount:   transfer.Amt.InstdAmt.Value,
				Currency: string(transfer.Amt.InstdAmt.Ccy),
				Name:     string(*transfer.Cdtr.Nm),
			}
			if account := transfer.CdtrAcct.Id; account.IBAN != "" {
				each.Account = string(account.IBAN)
			} else {
				each.Account = string(account.Othr.Id)
			}
			said.Payments = append(said.Payments, each)
		}
	}
	return said
}

func readStatuses(content *pain_v11.CustomerPaymentStatusReportV11) *message {
	group := content.OrgnlGrpInfAndSts
	said := &message{Id: string(group.OrgnlMsgId), Count: string(*group.OrgnlNbOfTxs), Sum: group.OrgnlCtrlSum}
	for _, block := range content.OrgnlPmtInfAndSts {
		for _, transfer := range block.TxInfAndSts {
			said.Payments = append(said.Payments, payment{
				Id:     string(*transfer.OrgnlEndToEndId),
				Status: string(*transfer.TxSts),
				Amount: transfer.OrgnlTxRef.Amt.InstdAmt.Value,
			})
		}
	}
	return said
}

func readEntries(content *camt_v08.BankToCustomerDebitCreditNotificationV08) *message {
	total := content.Ntfctn[0].TxsSummry.TtlNtries
	said := &message{Id: string(content.GrpHdr.MsgId), Count: string(*total.NbOfNtries), Sum: total.Sum}
	for _, entry := range content.Ntfctn[0].Ntry {
		for _, details := range entry.NtryDtls {
			for _, detail := range details.TxDtls {
				said.Payments = append(said.Payments, payment{
					Id:     string(*detail.Refs.EndToEndId),
					Status: string(entry.CdtDbtInd),
					Amount: entry.Amt.Value,
				})
			}
		}
	}
	return said
}
