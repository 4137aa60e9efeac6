"""What the master of PNS-PDFPN and its workers are made of."""
